// Lets a few requests run at a time; the rest wait in the order they came.

const MOST = 3;

let running = 0;
const waiting: (() => void)[] = [];

export async function limited<T>(request: () => Promise<T>): Promise<T> {
  if (running >= MOST) await new Promise<void>((resume) => waiting.push(resume));
  else ++running;
  try {
    return await request();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else --running;
  }
}
