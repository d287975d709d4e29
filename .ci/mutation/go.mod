module github.com/neardup/bleve-neardup/mutation

go 1.25.0
