#include "net/grpc_server_test.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <vector>

#include "net/grpc_message.h"

namespace warpsight::test {
namespace {

std::vector<nghttp2_nv> name_values(const HttpHeaders& headers) {
  std::vector<nghttp2_nv> out;
  for (const auto& [name, value] : headers) {
    out.push_back({reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                   reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(),
                   value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  return out;
}

class GrpcSession {
 public:
  GrpcSession(ServerConnection& connection, const GrpcHandler& handler)
      : connection_(connection), handler_(handler) {
    nghttp2_session_callbacks* table = nullptr;
    nghttp2_session_callbacks_new(&table);
    nghttp2_session_callbacks_set_on_header_callback(
        table, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                  size_t name_size, const uint8_t* value, size_t value_size, uint8_t, void* self) {
          static_cast<GrpcSession*>(self)->requests_[frame->hd.stream_id].headers.emplace_back(
              std::string(name, name + name_size), std::string(value, value + value_size));
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        table,
        [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size, void* self) {
          static_cast<GrpcSession*>(self)->requests_[id].body.append(bytes, bytes + size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        table, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          const bool request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
          if (request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            static_cast<GrpcSession*>(self)->answer(frame->hd.stream_id);
          }
          return 0;
        });
    nghttp2_session_server_new(&session_, table, this);
    nghttp2_session_callbacks_del(table);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~GrpcSession() { nghttp2_session_del(session_); }
  GrpcSession(const GrpcSession&) = delete;
  GrpcSession& operator=(const GrpcSession&) = delete;

  void run() {
    while (flush() && (nghttp2_session_want_read(session_) != 0)) {
      const std::string bytes = connection_.read_some();
      if (bytes.empty()) return;
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()),
                               bytes.size());
    }
  }

 private:
  struct Body {
    GrpcAnswer answer;
    size_t sent = 0;
  };

  bool flush() {
    for (;;) {
      const uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size <= 0) return size == 0;
      const std::string_view view(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
      if (!connection_.send(view)) return false;
    }
  }

  void answer(int32_t id) {
    Body& body = bodies_.emplace_back(Body{.answer = handler_(requests_[id])});
    GrpcAnswer& answer = body.answer;
    if (answer.goaway_unseen || answer.goaway_seen) {
      nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, answer.goaway_seen ? id : 0,
                            NGHTTP2_NO_ERROR, nullptr, 0);
    }
    if (answer.hang || answer.goaway_unseen) return;
    if (answer.reset) {
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, *answer.reset);
      return;
    }
    answer.headers.insert(answer.headers.begin(), {":status", answer.http_status});
    const auto headers = name_values(answer.headers);
    const bool headers_only = answer.body.empty() && answer.trailers.empty();
    nghttp2_data_provider provider{};
    provider.source.ptr = &body;
    provider.read_callback = read_body;
    nghttp2_submit_response(session_, id, headers.data(), headers.size(),
                            headers_only ? nullptr : &provider);
  }

  static ssize_t read_body(nghttp2_session* session, int32_t id, uint8_t* out, size_t size,
                           uint32_t* flags, nghttp2_data_source* source, void*) {
    Body& body = *static_cast<Body*>(source->ptr);
    const size_t count = std::min(size, body.answer.body.size() - body.sent);
    std::memcpy(out, body.answer.body.data() + body.sent, count);
    body.sent += count;
    if (body.sent < body.answer.body.size()) return static_cast<ssize_t>(count);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!body.answer.trailers.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const auto trailers = name_values(body.answer.trailers);
      nghttp2_submit_trailer(session, id, trailers.data(), trailers.size());
    }
    return static_cast<ssize_t>(count);
  }

  ServerConnection& connection_;
  const GrpcHandler& handler_;
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, GrpcRequest> requests_;
  std::list<Body> bodies_;
};

}  // namespace

std::string GrpcRequest::header(std::string_view name) const {
  const auto found = std::ranges::find_if(headers, [&](const auto& h) { return h.first == name; });
  return found != headers.end() ? found->second : "";
}

std::string grpc_frame(std::string_view message, bool compressed) {
  std::string out;
  frame_grpc_message(message, compressed, out);
  return out;
}

GrpcAnswer grpc_answer(const std::string& status, const HttpHeaders& more_trailers) {
  GrpcAnswer answer{.body = grpc_frame(""), .trailers = {{"grpc-status", status}}};
  answer.trailers.insert(answer.trailers.end(), more_trailers.begin(), more_trailers.end());
  return answer;
}

ScriptedServer::Script serve_grpc(GrpcHandler handler) {
  return [handler = std::move(handler)](ServerConnection& connection) {
    GrpcSession(connection, handler).run();
    connection.wait_until_client_closes();
  };
}

}  // namespace warpsight::test
