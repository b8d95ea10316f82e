// Stands in for NVIDIA's device plugin and DRA driver on a node without a GPU, and for the programs
// that its pods run:
//
//	fake_device_plugin serve [-dra DRIVER -pool POOL] RESOURCE=ID,ID... ...
//	fake_device_plugin wait
//	fake_device_plugin end CODE
package main

import (
	"flag"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("serve, wait or end CODE?")
	}
	switch os.Args[1] {
	case "serve":
		serve(os.Args[2:])
	case "wait":
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
		<-ended
	case "end":
		code, err := strconv.Atoi(os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		os.Exit(code)
	default:
		log.Fatalf("unknown verb %q", os.Args[1])
	}
}

func serve(arguments []string) {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	driver := flags.String("dra", "", "name of a DRA driver to be as well")
	pool := flags.String("pool", "", "pool that the driver's devices are in")
	flags.Parse(arguments)
	if *driver != "" {
		go serveClaims(*driver, *pool)
	}
	for number, resource := range flags.Args() {
		name, ids, found := strings.Cut(resource, "=")
		if !found {
			log.Fatalf("not RESOURCE=ID,ID...: %q", resource)
		}
		go serveDevices(name, strings.Split(ids, ","), number)
	}
	select {}
}

// A kubelet that starts clears the folder of the sockets: then everything is to be done anew.
func waitGone(path string) {
	for {
		if _, err := os.Stat(path); err != nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}
