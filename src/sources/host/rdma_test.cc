#include "sources/host/host_fixture.h"

namespace warpsight {
namespace {

class HostRdma : public testing::HostFixture {
 protected:
  void SetUp() override { root_.write("/proc/uptime", "1.0 1.0\n"); }

  void write_port(std::string_view state) {
    const std::string port = "/sys/class/infiniband/mlx5_0/ports/1/";
    root_.write(port + "state", std::string(state) + "\n");
    root_.write(port + "rate", "200 Gb/sec (4X HDR)\n");
    root_.write(port + "counters/port_rcv_data", "1000\n");
    root_.write(port + "counters/port_xmit_data", "2000\n");
    root_.write(port + "counters/symbol_error", "3\n");
    root_.write(port + "counters/port_xmit_wait", "99\n");
    root_.write(port + "counters/unicast_rcv_packets", "12345\n");
    root_.write(port + "hw_counters/out_of_sequence", "5\n");
    root_.write(port + "hw_counters/np_cnp_sent", "N/A\n");
  }
};

constexpr const char* kPort = "system.device=mlx5_0,system.rdma.port=1";

TEST_F(HostRdma, DataIsCountedInWordsOfFourOctets) {
  write_port("4: ACTIVE");
  ASSERT_TRUE(collect());
  const std::string port = kPort;
  EXPECT_EQ(value(Metric::system_rdma_io, port + ",network.io.direction=receive"), 4000);
  EXPECT_EQ(value(Metric::system_rdma_io, port + ",network.io.direction=transmit"), 8000);
  EXPECT_EQ(value(Metric::system_rdma_link_active, port), 1);
  EXPECT_EQ(value(Metric::system_rdma_link_rate, port), 25e9);
  EXPECT_EQ(value(Metric::system_rdma_errors, port + ",system.rdma.counter=symbol_error"), 3);
  EXPECT_EQ(value(Metric::system_rdma_errors, port + ",system.rdma.counter=port_xmit_wait"), 99);
  EXPECT_EQ(value(Metric::system_rdma_errors, port + ",system.rdma.counter=out_of_sequence"), 5);
  EXPECT_EQ(testing::count_of(batch_, Metric::system_rdma_errors), 3);
}

TEST_F(HostRdma, ALinkThatGoesDownShowsAtTheNextRun) {
  write_port("4: ACTIVE");
  ASSERT_TRUE(collect());
  write_port("1: DOWN");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_rdma_link_active, kPort), 0);
  EXPECT_EQ(testing::count_of(batch_, Metric::system_rdma_errors), 0) << "read slowly";
}

TEST_F(HostRdma, AdaptersThatCountOctetsAreTakenAtTheirWord) {
  const std::string port = "/sys/class/infiniband/efa_0/ports/1/";
  root_.write(port + "hw_counters/rx_bytes", "1000\n");
  root_.write(port + "hw_counters/tx_bytes", "2000\n");
  ASSERT_TRUE(collect());
  EXPECT_EQ(value(Metric::system_rdma_io,
                  "system.device=efa_0,system.rdma.port=1,network.io.direction=receive"),
            1000);
}

TEST_F(HostRdma, AnAdapterComesBackUnderItsName) {
  write_port("4: ACTIVE");
  ASSERT_TRUE(collect());
  root_.remove("/sys/class/infiniband/mlx5_0");
  ASSERT_TRUE(collect());
  ASSERT_EQ(batch_.gone.size(), 1U);
  EXPECT_EQ(testing::attributes_of(entities_, batch_.gone[0]), "system.device=mlx5_0");

  write_port("4: ACTIVE");
  ASSERT_TRUE(collect());
  ASSERT_TRUE(collect(std::chrono::seconds{30}));
  EXPECT_EQ(value(Metric::system_rdma_link_active, kPort), 1);
  EXPECT_EQ(value(Metric::system_rdma_link_rate, kPort), 25e9);
}

TEST_F(HostRdma, WithoutAdaptersItIsUnsupportedAndSaidOnce) {
  ASSERT_TRUE(collect());
  EXPECT_EQ(absence(Metric::system_rdma_io), Absence::unsupported);
  EXPECT_EQ(absence(Metric::system_rdma_errors), Absence::unsupported);
  ASSERT_TRUE(collect());
  EXPECT_TRUE(batch_.absences.empty());
}

}  // namespace
}  // namespace warpsight
