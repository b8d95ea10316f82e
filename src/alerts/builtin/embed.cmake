# Writes the rules of INPUT into OUTPUT as a string literal.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}"
"// Generated from src/alerts/builtin/rules.yaml.
#include \"alerts/builtin.h\"

namespace warpsight::alerts {

std::string_view builtin_rules_text() { return R\"rules(${text})rules\"; }

}  // namespace warpsight::alerts
")
