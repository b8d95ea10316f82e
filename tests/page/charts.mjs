// Charts as a reader meets them.
import { waitFor } from "./agent.mjs";

export function chart(tab, title) {
  return tab.page.getByRole("group", { name: new RegExp(`^${title}( \\w+/s)?$`) });
}

// Waits until there are lines in the canvas of the chart of this title; one of few values is short.
export async function seeLines(tab, title) {
  const canvas = chart(tab, title).locator("canvas");
  await canvas.waitFor();
  await waitFor(`lines in ${title}`, () => hasLines(canvas));
}

// Whether some of a canvas's pixels are strongly coloured.
async function hasLines(canvas) {
  return canvas.evaluate(async (element) => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const span = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
      if (data[i + 3] > 128 && span > 60) ++coloured;
    }
    return coloured > 5;
  });
}

// The plot of a chart on the screen.
export async function boxOf(group) {
  const plot = group.locator(".u-over");
  await plot.scrollIntoViewIfNeeded();
  return plot.boundingBox();
}

export async function drag(tab, group, from, to) {
  const { x, y, width, height } = await boxOf(group);
  const { mouse } = tab.page;
  await mouse.move(x + width * from, y + height / 2);
  await mouse.down();
  await mouse.move(x + width * ((from + to) / 2), y + height / 2);
  await mouse.move(x + width * to, y + height / 2);
  await mouse.up();
}
