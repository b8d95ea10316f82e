#include "net/http2_connection.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

namespace warpsight {
namespace {

using Kind = TransportFailure::Kind;

constexpr size_t kLargestHeaders = size_t{32} * 1024;
constexpr size_t kReadSize = size_t{16} * 1024;
constexpr std::string_view kPortHint = "is this a gRPC port? OTLP/HTTP is usually 4318";

struct Exchange {
  const Http2Request& request;
  int32_t stream_id = 0;
  size_t body_sent = 0;
  size_t header_bytes = 0;
  bool ended = false;  // nothing more will come
  bool peer_has_reset = false;
  bool malformed = false;
  bool too_large = false;
  Http2Response response = {};
};

nghttp2_nv name_value(const std::pair<std::string, std::string>& header) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(header.first), bytes(header.second), header.first.size(), header.second.size(),
          NGHTTP2_NV_FLAG_NONE};
}

std::string_view view(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::string_view Http2Response::header(std::string_view name) const {
  const auto found = std::find_if(headers.rbegin(), headers.rend(),
                                  [&](const auto& h) { return h.first == name; });
  return found != headers.rend() ? std::string_view(found->second) : std::string_view();
}

bool Http2Response::refused() const { return reset == NGHTTP2_REFUSED_STREAM; }

class Http2Connection::Session {
 public:
  explicit Session(ByteStream stream) : stream_(std::move(stream)) {}
  ~Session() { nghttp2_session_del(session_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool start();
  bool usable(const Patience& patience);
  TransportResult<Http2Response> exchange(const Http2Request& request, const Patience& patience);

 private:
  TransportResult<> submit(Exchange& exchange);
  TransportResult<> run(Exchange& exchange, const Patience& patience);
  // Both go as far as they get without waiting.
  TransportResult<> send();
  TransportResult<> receive(const Patience& patience);
  TransportResult<> take(std::span<const uint8_t> bytes);
  TransportFailure with_port_hint(TransportFailure failure) const;

  Exchange* exchange_of(int32_t stream_id) {
    return exchange_ != nullptr && exchange_->stream_id == stream_id ? exchange_ : nullptr;
  }
  void on_header(int32_t stream_id, std::string_view name, std::string_view value);
  void on_data(int32_t stream_id, std::string_view bytes);
  void on_frame(const nghttp2_frame& frame);
  void on_close(int32_t stream_id, uint32_t error);
  static ssize_t read_body(nghttp2_session*, int32_t, uint8_t* out, size_t size, uint32_t* flags,
                           nghttp2_data_source* source, void*);
  static nghttp2_session_callbacks* callbacks();

  ByteStream stream_;
  nghttp2_session* session_ = nullptr;
  Exchange* exchange_ = nullptr;
  std::span<const uint8_t> unsent_;  // of nghttp2's buffer, which the socket had no room for
  bool greeted_ = false;             // the peer has shown that it speaks HTTP/2
  bool peer_ended_ = false;
  bool finished_ = false;  // a request failed, or was answered before it was sent whole
};

nghttp2_session_callbacks* Http2Connection::Session::callbacks() {
  nghttp2_session_callbacks* table = nullptr;
  if (nghttp2_session_callbacks_new(&table) != 0) return nullptr;
  nghttp2_session_callbacks_set_on_header_callback(
      table, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                const uint8_t* value, size_t value_size, uint8_t, void* self) {
        static_cast<Session*>(self)->on_header(frame->hd.stream_id, view(name, name_size),
                                               view(value, value_size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      table, [](nghttp2_session*, uint8_t, int32_t stream_id, const uint8_t* bytes, size_t size,
                void* self) {
        static_cast<Session*>(self)->on_data(stream_id, view(bytes, size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      table, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        static_cast<Session*>(self)->on_frame(*frame);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      table, [](nghttp2_session*, int32_t stream_id, uint32_t error, void* self) {
        static_cast<Session*>(self)->on_close(stream_id, error);
        return 0;
      });
  return table;
}

bool Http2Connection::Session::start() {
  nghttp2_session_callbacks* table = callbacks();
  const bool made = table != nullptr && nghttp2_session_client_new(&session_, table, this) == 0;
  nghttp2_session_callbacks_del(table);
  constexpr std::array kSettings = {
      nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kLargestHeaders},
  };
  return made && nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, kSettings.data(),
                                         kSettings.size()) == 0;
}

void Http2Connection::Session::on_header(int32_t stream_id, std::string_view name,
                                         std::string_view value) {
  Exchange* exchange = exchange_of(stream_id);
  if (exchange == nullptr || exchange->too_large) return;
  exchange->header_bytes += name.size() + value.size() + 32;  // as HTTP/2 counts them
  if (exchange->header_bytes > kLargestHeaders) {
    exchange->too_large = true;
  } else if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), exchange->response.status);
  } else {
    exchange->response.headers.emplace_back(name, value);
  }
}

void Http2Connection::Session::on_data(int32_t stream_id, std::string_view bytes) {
  Exchange* exchange = exchange_of(stream_id);
  if (exchange == nullptr || exchange->too_large) return;
  exchange->too_large =
      bytes.size() > exchange->request.response_limit - exchange->response.body.size();
  if (!exchange->too_large) exchange->response.body += bytes;
}

void Http2Connection::Session::on_frame(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_SETTINGS) greeted_ = true;
  const bool last = (frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA) &&
                    (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  Exchange* exchange = exchange_of(frame.hd.stream_id);
  if (exchange == nullptr) return;
  exchange->ended = exchange->ended || last;
  exchange->peer_has_reset = exchange->peer_has_reset || frame.hd.type == NGHTTP2_RST_STREAM;
}

void Http2Connection::Session::on_close(int32_t stream_id, uint32_t error) {
  Exchange* exchange = exchange_of(stream_id);
  if (exchange == nullptr || exchange->ended) return;
  exchange->ended = true;
  // A stream that a GOAWAY left out counts as refused; what nghttp2 ends itself broke the rules.
  if (exchange->peer_has_reset || error == NGHTTP2_REFUSED_STREAM) {
    exchange->response.reset = error;
  } else {
    exchange->malformed = true;
  }
}

ssize_t Http2Connection::Session::read_body(nghttp2_session*, int32_t, uint8_t* out, size_t size,
                                            uint32_t* flags, nghttp2_data_source* source, void*) {
  auto& exchange = *static_cast<Exchange*>(source->ptr);
  const std::string_view rest = exchange.request.body.substr(exchange.body_sent);
  const size_t count = std::min(size, rest.size());
  std::memcpy(out, rest.data(), count);
  exchange.body_sent += count;
  if (count == rest.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

TransportResult<> Http2Connection::Session::send() {
  for (;;) {
    if (unsent_.empty()) {
      const uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size < 0) {
        return fail(Kind::protocol, fmt::format("HTTP/2 with {} failed: {}", stream_.peer(),
                                                nghttp2_strerror(static_cast<int>(size))));
      }
      if (size == 0) return {};
      unsent_ = {bytes, static_cast<size_t>(size)};
    }
    const auto taken = stream_.write(unsent_);
    if (!taken) return tl::unexpected(taken.error());
    const std::optional<size_t> count = *taken;
    if (!count) return {};
    unsent_ = unsent_.subspan(*count);
  }
}

TransportResult<> Http2Connection::Session::take(std::span<const uint8_t> bytes) {
  // Every first frame is short, so its length begins with a zero.
  if (!greeted_ && bytes.front() != 0) {
    return fail(Kind::protocol, fmt::format("{} does not speak HTTP/2", stream_.peer()),
                std::string(kPortHint));
  }
  const ssize_t result = nghttp2_session_mem_recv(session_, bytes.data(), bytes.size());
  if (result >= 0) return {};
  return fail(Kind::protocol, fmt::format("{} breaks the rules of HTTP/2: {}", stream_.peer(),
                                          nghttp2_strerror(static_cast<int>(result))));
}

TransportResult<> Http2Connection::Session::receive(const Patience& patience) {
  std::array<uint8_t, kReadSize> buffer;
  while (exchange_ == nullptr || !(exchange_->ended || exchange_->too_large)) {
    const auto got = stream_.read(buffer);
    if (!got) return tl::unexpected(got.error());
    const std::optional<size_t> count = *got;
    peer_ended_ = count == size_t{0};
    if (!count || peer_ended_) break;
    if (const auto taken = take(std::span(buffer).first(*count)); !taken) return taken;
    if (const auto patient = patience.check("the answer of " + stream_.peer()); !patient) {
      return patient;
    }
  }
  return {};
}

bool Http2Connection::Session::usable(const Patience& patience) {
  return !finished_ && receive(patience) && send() && !peer_ended_ &&
         nghttp2_session_want_read(session_) != 0 &&
         nghttp2_session_check_request_allowed(session_) != 0;
}

TransportResult<> Http2Connection::Session::submit(Exchange& exchange) {
  std::vector<nghttp2_nv> headers;
  headers.reserve(exchange.request.headers.size());
  for (const auto& header : exchange.request.headers) headers.push_back(name_value(header));
  nghttp2_data_provider provider{};
  provider.source.ptr = &exchange;
  provider.read_callback = read_body;
  exchange.stream_id =
      nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &provider, nullptr);
  if (exchange.stream_id > 0) return {};
  return fail(Kind::protocol, fmt::format("cannot send to {}: {}", stream_.peer(),
                                          nghttp2_strerror(exchange.stream_id)));
}

TransportResult<> Http2Connection::Session::run(Exchange& exchange, const Patience& patience) {
  const std::string doing = "the answer of " + stream_.peer();
  for (;;) {
    // What broke the sending may stand in what was received.
    auto sent = send();
    if (const auto received = receive(patience); !received && !exchange.ended) return received;
    if (exchange.too_large) {
      return fail(Kind::too_large, fmt::format("{} is larger than allowed", doing));
    }
    const bool broken = exchange.malformed || nghttp2_session_want_read(session_) == 0;
    if (exchange.ended && !exchange.malformed) return {};
    if (!sent) return sent;
    if (peer_ended_) {
      return fail(Kind::reset,
                  fmt::format("{} ended the connection without an answer", stream_.peer()));
    }
    if (broken) {
      return fail(Kind::protocol, fmt::format("{} breaks the rules of HTTP/2", stream_.peer()));
    }
    const bool writing = !unsent_.empty() || nghttp2_session_want_write(session_) != 0;
    if (const auto ready = stream_.wait(writing, patience, doing); !ready) return ready;
  }
}

TransportFailure Http2Connection::Session::with_port_hint(TransportFailure failure) const {
  const bool about_port = failure.kind == Kind::reset || failure.kind == Kind::protocol;
  if (!greeted_ && about_port && failure.hint.empty()) failure.hint = kPortHint;
  return failure;
}

TransportResult<Http2Response> Http2Connection::Session::exchange(const Http2Request& request,
                                                                  const Patience& patience) {
  Exchange exchange{.request = request};
  exchange_ = &exchange;
  auto result = submit(exchange);
  if (result) result = run(exchange, patience);
  exchange_ = nullptr;
  finished_ = !result || exchange.body_sent < request.body.size();
  if (!result) return tl::unexpected(with_port_hint(std::move(result.error())));
  return std::move(exchange.response);
}

Http2Connection::Http2Connection(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Http2Connection::~Http2Connection() = default;

TransportResult<std::unique_ptr<Http2Connection>> Http2Connection::open(
    const StreamSettings& settings, const Patience& patience) {
  auto stream = ByteStream::open(settings, patience);
  if (!stream) return tl::unexpected(stream.error());
  auto session = std::make_unique<Session>(std::move(*stream));
  if (!session->start()) return fail(Kind::setup, "cannot set up HTTP/2: out of memory");
  return std::unique_ptr<Http2Connection>(new Http2Connection(std::move(session)));
}

bool Http2Connection::usable(const Patience& patience) { return session_->usable(patience); }

TransportResult<Http2Response> Http2Connection::exchange(const Http2Request& request,
                                                         const Patience& patience) {
  return session_->exchange(request, patience);
}

}  // namespace warpsight
