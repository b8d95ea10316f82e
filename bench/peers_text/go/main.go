// Two parsers that others run, over the files named: Prometheus' own text parser and that of
// VictoriaMetrics' agent. One line a parser and file: parser, file, bytes, samples, seconds a page.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	vm "github.com/VictoriaMetrics/VictoriaMetrics/lib/protoparser/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

const enough = time.Second

// Samples and their labels, as a scrape loop asks for them of series that it does not know.
func prometheusLabels(body []byte, symbols *labels.SymbolTable) int {
	parser := textparse.NewPromParser(body, symbols, false)
	samples := 0
	var found labels.Labels
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return samples
		}
		if err != nil {
			panic(err)
		}
		if entry == textparse.EntrySeries {
			parser.Series()
			parser.Labels(&found)
			samples++
		}
	}
}

// Samples and the bytes of their series, as a scrape loop asks for them of series in its cache.
func prometheusSeries(body []byte, symbols *labels.SymbolTable) int {
	parser := textparse.NewPromParser(body, symbols, false)
	samples := 0
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return samples
		}
		if err != nil {
			panic(err)
		}
		if entry == textparse.EntrySeries {
			parser.Series()
			samples++
		}
	}
}

// The best page of a second's worth, which is what a quiet machine would do.
func measure(name, path string, body []byte, parse func() int) {
	samples := parse()
	best := time.Hour
	for begin := time.Now(); time.Since(begin) < enough; {
		from := time.Now()
		parse()
		best = min(best, time.Since(from))
	}
	fmt.Printf("%s\t%s\t%d\t%d\t%.9f\n", name, filepath.Base(path), len(body), samples, best.Seconds())
}

func main() {
	for _, path := range os.Args[1:] {
		body, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		room := append(make([]byte, 0, len(body)+1), body...) // Prometheus' parser appends a newline
		symbols := labels.NewSymbolTable()
		measure("prometheus labels", path, body, func() int { return prometheusLabels(room, symbols) })
		measure("prometheus series", path, body, func() int { return prometheusSeries(room, symbols) })
		text := string(body)
		var rows vm.Rows
		measure("victoriametrics", path, body, func() int {
			rows.Reset()
			rows.Unmarshal(text)
			return len(rows.Rows)
		})
	}
}
