#include "web/assets.h"

#include <array>

extern "C" {
extern const char warpsight_asset_index[], warpsight_asset_index_end[];
extern const char warpsight_asset_script[], warpsight_asset_script_end[];
extern const char warpsight_asset_style[], warpsight_asset_style_end[];
extern const char warpsight_asset_icon[], warpsight_asset_icon_end[];
}

namespace warpsight {

std::span<const Asset> page_assets() {
  static const std::array<Asset, 4> kAssets = {{
      {"/", "text/html; charset=utf-8", {warpsight_asset_index, warpsight_asset_index_end}},
      {"/app.js",
       "text/javascript; charset=utf-8",
       {warpsight_asset_script, warpsight_asset_script_end}},
      {"/app.css", "text/css; charset=utf-8", {warpsight_asset_style, warpsight_asset_style_end}},
      {"/favicon.svg", "image/svg+xml", {warpsight_asset_icon, warpsight_asset_icon_end}},
  }};
  return kAssets;
}

}  // namespace warpsight
