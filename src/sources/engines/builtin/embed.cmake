# Writes the tables of FOLDER into OUTPUT as string literals, sorted by name.
file(GLOB tables ${FOLDER}/*.yaml)
list(SORT tables)
set(body "")
foreach(file IN LISTS tables)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND body "    {\"${name}\", R\"table(${text})table\"},\n")
endforeach()
file(WRITE "${OUTPUT}"
"// Generated from src/sources/engines/builtin/*.yaml.
#include \"sources/engines/tables/builtin.h\"

namespace warpsight::engines {

std::span<const BuiltinTable> builtin_tables() {
  static constexpr BuiltinTable kTables[] = {
${body}  };
  return kTables;
}

}  // namespace warpsight::engines
")
