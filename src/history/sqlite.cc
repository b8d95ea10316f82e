#include "history/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "runtime/log.h"

namespace warpsight {
namespace {

constexpr int kBusyMs = 2000;
constexpr std::string_view kHintRoom =
    "make room on the disk, or raise history.max_size if it has room";
constexpr std::string_view kHintDisk = "look at the disk and at the kernel's log";
constexpr std::string_view kHintAccess = "give the agent's user access to the directory";

std::string_view hint_for(int code) {
  switch (code & 0xFF) {
    case SQLITE_FULL: return kHintRoom;
    case SQLITE_IOERR: return kHintDisk;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return kHintAccess;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return "a running agent sets the file aside and begins anew";
    case SQLITE_BUSY: return "try again";
    default: return {};
  }
}

int flags_for(Database::Access access) {
  constexpr int kShared = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  if (access == Database::Access::write) {
    return kShared | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return kShared | SQLITE_OPEN_READONLY;
}

// As a URI wants it, so that no character of the path means anything.
std::string uri_of(const std::string& path, Database::Access access) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  if (access == Database::Access::read_unchanging) uri += "?immutable=1";
  return uri;
}

}  // namespace

void Database::Closer::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
void Database::Finalizer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::~Database() { statements_.clear(); }

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access) {
  std::unique_ptr<Database> database(new Database(path));
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(uri_of(path, access).c_str(), &connection, flags_for(access), nullptr);
  database->connection_.reset(connection);
  if (code != SQLITE_OK) return database->failure(code);
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kBusyMs);
  return database;
}

tl::unexpected<Error> Database::failure(int code) {
  const int kind = code & 0xFF;
  damaged_ |= kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB;
  return fail(fmt::format("{}: {}", path_, sqlite3_errstr(code)), std::string(hint_for(code)));
}

void Database::found_unreadable() {
  ++unreadable_;
  if (std::exchange(told_unreadable_, true)) return;
  log_warn("a record of the history does not decode: it is left out", {{"file", path_}});
}

Result<> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Result<int64_t> Database::number(std::string_view sql) {
  Statement statement(*this, sql);
  const int64_t found = statement.next() ? statement.number(0) : 0;
  if (auto outcome = statement.outcome(); !outcome) return tl::unexpected(outcome.error());
  return found;
}

sqlite3_stmt* Database::prepared(std::string_view sql) {
  auto& kept = statements_[std::string(sql)];
  if (!kept) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                       SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    kept.reset(statement);
  }
  return kept.get();
}

Statement::Statement(Database& database, std::string_view sql)
    : database_(database),
      statement_(database.prepared(sql)),
      code_(statement_ == nullptr ? sqlite3_extended_errcode(database.connection_.get())
                                  : SQLITE_OK) {
  if (code_ != SQLITE_OK) static_cast<void>(database_.failure(code_));
}

Statement::~Statement() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Statement& Statement::bind(int parameter, int64_t value) {
  sqlite3_bind_int64(statement_, parameter, value);
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(statement_, parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

bool Statement::next() {
  if (code_ != SQLITE_OK && code_ != SQLITE_ROW) return false;
  code_ = sqlite3_step(statement_);
  if (code_ == SQLITE_ROW) return true;
  if (code_ != SQLITE_DONE) static_cast<void>(database_.failure(code_));
  return false;
}

int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::bytes(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr
             ? std::string_view{}
             : std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

void Statement::again() {
  sqlite3_reset(statement_);
  if (code_ == SQLITE_DONE || code_ == SQLITE_ROW) code_ = SQLITE_OK;
}

Result<> Statement::outcome() const {
  if (code_ == SQLITE_OK || code_ == SQLITE_ROW || code_ == SQLITE_DONE) return {};
  return database_.failure(code_);
}

Result<> Statement::run() {
  while (next()) {
  }
  auto result = outcome();
  again();
  return result;
}

Transaction::Transaction(Database& database, Kind kind)
    : database_(database),
      begun_(database.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN")),
      open_(begun_.has_value()) {}

Transaction::~Transaction() {
  if (open_) static_cast<void>(database_.execute("ROLLBACK"));
}

Result<> Transaction::commit() {
  auto committed = database_.execute("COMMIT");
  open_ = !committed;
  return committed;
}

}  // namespace warpsight
