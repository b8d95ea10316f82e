// The packed files of the page, each between two symbols; assets.cc names them.
.macro asset name, file
  .global warpsight_asset_\name
  .global warpsight_asset_\name\()_end
warpsight_asset_\name:
  .incbin "\file"
warpsight_asset_\name\()_end:
.endm

.section .rodata
asset index, "index.html.gz"
asset script, "app.js.gz"
asset style, "app.css.gz"
asset icon, "favicon.svg.gz"
.section .note.GNU-stack,"",%progbits
