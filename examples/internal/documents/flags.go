package documents

import "github.com/spf13/pflag"

// Flags adds flags for the members of s, with their defaults: --id, --text and --html.
func (s *Source) Flags(f *pflag.FlagSet) {
	f.StringVar(&s.ID, "id", "id", "member of a JSON object that is the id")
	f.StringSliceVar(&s.Text, "text", []string{"text"}, "members of a JSON object that are the text, separated by commas")
	f.StringVar((*string)(&s.HTML), "html", string(ByName), "texts that are HTML: auto (files so named), all or none; they are turned into text when read")
}
