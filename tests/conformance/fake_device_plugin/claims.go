package main

import (
	"context"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"
	dra "k8s.io/kubelet/pkg/apis/dra/v1"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

const kubeletFolder = "/var/lib/kubelet"

// A DRA driver that asks nobody: a claim named CLAIM.DEVICE has that device.
type claims struct {
	registration.UnimplementedRegistrationServer
	driver, pool, socket string
}

func serveClaims(driver, pool string) {
	socket := filepath.Join(kubeletFolder, "plugins", driver, "dra.sock")
	registered := filepath.Join(kubeletFolder, "plugins_registry", driver+".sock")
	server := grpc.NewServer()
	c := claims{driver: driver, pool: pool, socket: socket}
	dra.RegisterDRAPluginServer(server, c)
	registration.RegisterRegistrationServer(server, c)
	for _, path := range []string{socket, registered} {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			log.Fatal(err)
		}
		os.Remove(path)
		listener, err := net.Listen("unix", path)
		if err != nil {
			log.Fatal(err)
		}
		go server.Serve(listener)
	}
}

func (c claims) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{Type: registration.DRAPlugin, Name: c.driver, Endpoint: c.socket,
		SupportedVersions: []string{dra.DRAPluginService}}, nil
}

func (c claims) NotifyRegistrationStatus(_ context.Context, status *registration.RegistrationStatus) (*registration.RegistrationStatusResponse, error) {
	log.Printf("DRA driver %s registered: %v %s", c.driver, status.PluginRegistered, status.Error)
	return &registration.RegistrationStatusResponse{}, nil
}

func (c claims) NodePrepareResources(_ context.Context, request *dra.NodePrepareResourcesRequest) (*dra.NodePrepareResourcesResponse, error) {
	answer := &dra.NodePrepareResourcesResponse{Claims: map[string]*dra.NodePrepareResourceResponse{}}
	for _, claim := range request.Claims {
		device := claim.Name[strings.LastIndex(claim.Name, ".")+1:]
		answer.Claims[claim.UID] = &dra.NodePrepareResourceResponse{Devices: []*dra.Device{{
			PoolName: c.pool, DeviceName: device, CDIDeviceIDs: []string{"k8s." + c.driver + "/claim=" + claim.UID + "-" + device}}}}
	}
	return answer, nil
}

func (claims) NodeUnprepareResources(_ context.Context, request *dra.NodeUnprepareResourcesRequest) (*dra.NodeUnprepareResourcesResponse, error) {
	answer := &dra.NodeUnprepareResourcesResponse{Claims: map[string]*dra.NodeUnprepareResourceResponse{}}
	for _, claim := range request.Claims {
		answer.Claims[claim.UID] = &dra.NodeUnprepareResourceResponse{}
	}
	return answer, nil
}
