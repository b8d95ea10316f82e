// As much of SQLite as the history needs, with errors as values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace warpsight {

// One connection; one thread at a time.
class Database {
 public:
  enum class Access : uint8_t {
    write,  // made if need be
    read,
    read_unchanging,  // nobody writes: no lock, no file beside it
  };

  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Statements without parameters and answers.
  Result<> execute(const std::string& sql);
  // The first number of the first row; zero when there is none.
  Result<int64_t> number(std::string_view sql);

  // Whether something was found since it was opened that no sound database file has.
  bool damaged() const { return damaged_; }

  // A row holds what nobody wrote there; the file as such may be sound. The first one is logged.
  void found_unreadable();
  // How many since the last time this was asked.
  uint64_t take_unreadable() { return std::exchange(unreadable_, 0); }

 private:
  friend class Statement;
  friend class Transaction;
  struct Closer {
    void operator()(sqlite3* connection) const;
  };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };

  explicit Database(std::string path) : path_(std::move(path)) {}
  tl::unexpected<Error> failure(int code);
  sqlite3_stmt* prepared(std::string_view sql);

  std::string path_;
  std::unique_ptr<sqlite3, Closer> connection_;
  std::unordered_map<std::string, std::unique_ptr<sqlite3_stmt, Finalizer>> statements_;
  bool damaged_ = false;
  uint64_t unreadable_ = 0;
  bool told_unreadable_ = false;
};

// A statement of that text, prepared once a connection. Nobody else may use the same text
// meanwhile.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters count from 1. What is bound must live until the statement ends.
  Statement& bind(int parameter, int64_t value);
  Statement& bind_text(int parameter, std::string_view text);
  Statement& bind_bytes(int parameter, std::string_view bytes);

  // The next row; false at the end and after a failure.
  bool next();
  // Columns count from 0; views are valid until the next row.
  int64_t number(int column) const;
  std::string_view bytes(int column) const;

  // Makes it ready for other parameters.
  void again();

  // How it went so far.
  Result<> outcome() const;
  // Runs a statement that has no rows to give.
  Result<> run();

 private:
  Database& database_;
  sqlite3_stmt* statement_;
  int code_;
};

// Rolled back unless it was committed.
class Transaction {
 public:
  enum class Kind : uint8_t { read, write };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  const Result<>& begun() const { return begun_; }
  Result<> commit();

 private:
  Database& database_;
  Result<> begun_;
  bool open_ = false;
};

}  // namespace warpsight
