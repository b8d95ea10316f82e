// Server-sent events out of a response's body: fetch can send a token, EventSource cannot.

export interface StreamEvent {
  name: string;
  data: string;
}

// Yields each event, and null for whatever else arrived: the connection is alive.
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pending += decoder.decode(value, { stream: true }).replace(/\r/g, "");
      const blocks = pending.split("\n\n");
      pending = blocks.pop() ?? "";
      for (const block of blocks) yield parseBlock(block);
      if (blocks.length === 0) yield null;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): StreamEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length > 0 ? { name, data: data.join("\n") } : null;
}
