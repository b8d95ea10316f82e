// The counters of an InfiniBand or RoCE port that tell of errors, retries and congestion.
#pragma once

#include <array>
#include <string_view>

namespace warpsight::host {

// Of ports/N/counters: what the InfiniBand specification defines.
inline constexpr std::array<std::string_view, 13> kPortErrors = {
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors",
    "port_xmit_discards",
    "port_xmit_constraint_errors",
    "port_rcv_constraint_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
    "VL15_dropped",
    "port_xmit_wait",
};

// Of ports/N/hw_counters: what drivers (mlx5, bnxt_re, irdma, efa) call them.
inline constexpr std::array<std::string_view, 43> kHardwareErrors = {
    "out_of_buffer",
    "out_of_sequence",
    "duplicate_request",
    "rnr_nak_retry_err",
    "packet_seq_err",
    "implied_nak_seq_err",
    "local_ack_timeout_err",
    "resp_local_length_error",
    "resp_cqe_error",
    "resp_cqe_flush_error",
    "resp_remote_access_errors",
    "req_cqe_error",
    "req_cqe_flush_error",
    "req_remote_invalid_request",
    "req_remote_access_errors",
    "rx_icrc_encapsulated",
    "roce_adp_retrans",
    "roce_adp_retrans_to",
    "roce_slow_restart",
    "roce_slow_restart_cnps",
    "roce_slow_restart_trans",
    "rp_cnp_ignored",
    "rp_cnp_handled",
    "np_ecn_marked_roce_packets",
    "np_cnp_sent",
    "to_retransmits",
    "seq_err_naks_rcvd",
    "max_retry_exceeded",
    "rnr_naks_rcvd",
    "missing_resp",
    "unrecoverable_err",
    "oos_drop_count",
    "rx_ecn_marked_pkts",
    "cnpSent",
    "cnpHandled",
    "cnpIgnored",
    "RxECNMrkd",
    "RetransSegs",
    "rx_drops",
    "retrans_pkts",
    "retrans_timeout_events",
    "unresponsive_remote_events",
    "impaired_remote_conn_events",
};

}  // namespace warpsight::host
