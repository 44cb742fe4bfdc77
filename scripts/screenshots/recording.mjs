import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { root } from '../lib/paths.mjs';
import { step } from '../lib/progress.mjs';

const FILE = 'overlay.png';

/** The panel of utilization of the dashboard of jobs: without its annotations, with them, and what one of them says. */
export async function recordOverlay(browser, names) {
  if (names.length > 0 && !names.includes('overlay')) {
    return;
  }
  await step(FILE, async () => {
    const path = '/d/gpucloud-fine-tuning?from=now-6h&to=now&viewPanel=panel-6';
    const { page, drawn } = await browser.open(path, 'dark', { width: 1280, height: 560 });
    await drawn();
    const frames = [];
    const show = async (seconds) => {
      await page.waitForTimeout(1000);
      frames.push({ png: await page.screenshot(), seconds });
    };
    const toggle = page.getByLabel('Fine-tuning jobs and checkpoints');
    await toggle.click({ force: true });
    await drawn();
    await page.mouse.move(0, 0);
    await show(2);
    await toggle.click({ force: true });
    await drawn();
    await page.mouse.move(0, 0);
    await show(2);
    const marks = page.getByTestId('data-testid annotation-marker');
    await marks.nth(Math.floor(0.8 * (await marks.count()))).hover({ force: true });
    await show(4);
    await page.close();
    await writeFile(join(root, 'docs', 'img', FILE), animated(frames));
  });
}

/**
 * An animated PNG (https://www.w3.org/TR/png-3/#apng-frame-based-animation) of pictures of one size, over and over. A program that
 * doesn't know these shows the first.
 */
function animated(frames) {
  const pictures = frames.map(({ png, seconds }) => ({ ...read(png), seconds }));
  const body = pictures.flatMap(({ header, pixels, seconds }, index) => {
    const [control, data] = index === 0 ? [0] : [2 * index - 1, 2 * index]; // the chunks of an animation are numbered
    const time = Buffer.from([0, seconds, 0, 1, 0, 0]); // a fraction of seconds; the frame replaces the one before
    return [
      chunk('fcTL', uint32(control), header.subarray(0, 8), uint32(0), uint32(0), time),
      index === 0 ? chunk('IDAT', pixels) : chunk('fdAT', uint32(data), pixels),
    ];
  });
  const start = [frames[0].png.subarray(0, 8), chunk('IHDR', pictures[0].header)];
  return Buffer.concat([...start, chunk('acTL', uint32(frames.length), uint32(0)), ...body, chunk('IEND')]);
}

/** The header of a picture, which begins with its width and height, and its compressed pixels. */
function read(png) {
  const pixels = [];
  let length;
  for (let at = 8; at < png.length; at += 12 + length) {
    length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      pixels.push(png.subarray(at + 8, at + 8 + length));
    }
  }
  return { header: png.subarray(16, 29), pixels: Buffer.concat(pixels) };
}

function chunk(type, ...parts) {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]);
  return Buffer.concat([uint32(content.length - 4), content, uint32(crc32(content))]);
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
