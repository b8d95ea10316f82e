package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	plugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// One resource's devices, handed out in the order in which they were given.
type devices struct {
	plugin.UnimplementedDevicePluginServer
	ids []string
}

func serveDevices(resource string, ids []string, number int) {
	socket := fmt.Sprintf("fake-%d.sock", number)
	path := plugin.DevicePluginPath + socket
	for {
		server, err := listenDevices(path, ids)
		if err == nil {
			err = register(resource, socket)
		}
		if err == nil {
			log.Printf("registered %s", resource)
			waitGone(path)
			log.Printf("the kubelet took %s away", socket)
		} else {
			log.Printf("%s: %v", resource, err)
			time.Sleep(200 * time.Millisecond)
		}
		if server != nil {
			server.Stop()
		}
	}
}

func listenDevices(path string, ids []string) (*grpc.Server, error) {
	os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	plugin.RegisterDevicePluginServer(server, devices{ids: ids})
	go server.Serve(listener)
	return server, nil
}

func register(resource, socket string) error {
	connection, err := grpc.NewClient("unix://"+plugin.KubeletSocket,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err = plugin.NewRegistrationClient(connection).Register(patience, &plugin.RegisterRequest{
		Version: plugin.Version, Endpoint: socket, ResourceName: resource, Options: options})
	return err
}

var options = &plugin.DevicePluginOptions{GetPreferredAllocationAvailable: true}

func (devices) GetDevicePluginOptions(context.Context, *plugin.Empty) (*plugin.DevicePluginOptions, error) {
	return options, nil
}

func (d devices) ListAndWatch(_ *plugin.Empty, stream plugin.DevicePlugin_ListAndWatchServer) error {
	list := &plugin.ListAndWatchResponse{}
	for _, id := range d.ids {
		list.Devices = append(list.Devices, &plugin.Device{ID: id, Health: plugin.Healthy,
			Topology: &plugin.TopologyInfo{Nodes: []*plugin.NUMANode{{ID: 0}}}})
	}
	if err := stream.Send(list); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (d devices) GetPreferredAllocation(_ context.Context, request *plugin.PreferredAllocationRequest) (*plugin.PreferredAllocationResponse, error) {
	answer := &plugin.PreferredAllocationResponse{}
	for _, container := range request.ContainerRequests {
		chosen := slices.Clone(container.MustIncludeDeviceIDs)
		for _, id := range d.ids {
			if len(chosen) < int(container.AllocationSize) && !slices.Contains(chosen, id) &&
				slices.Contains(container.AvailableDeviceIDs, id) {
				chosen = append(chosen, id)
			}
		}
		answer.ContainerResponses = append(answer.ContainerResponses,
			&plugin.ContainerPreferredAllocationResponse{DeviceIDs: chosen})
	}
	return answer, nil
}

func (devices) Allocate(_ context.Context, request *plugin.AllocateRequest) (*plugin.AllocateResponse, error) {
	answer := &plugin.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		visible := strings.Join(container.DevicesIds, ",")
		answer.ContainerResponses = append(answer.ContainerResponses, &plugin.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": visible}})
	}
	return answer, nil
}
