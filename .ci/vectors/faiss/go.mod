module github.com/blevesearch/go-faiss

go 1.25.0
