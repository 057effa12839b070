import { profileLimits } from '@tagway/schemas';
import { invalid } from '../core/profiles/profile-rules.ts';
import { sentence } from '../core/system/sentence.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const types: Readonly<
  Record<string, { readonly type: string; readonly size: (file: Buffer) => Size | undefined }>
> = {
  png: { type: 'image/png', size: pngSize },
  webp: { type: 'image/webp', size: webpSize },
  jpg: { type: 'image/jpeg', size: jpegSize },
};

/** A picture as a data URL. Throws PROFILE_INVALID for a file that is none of the kind that its name says, or is too large. */
export function pictureUrl(name: string, file: Buffer): string {
  const kind = types[name.slice(name.lastIndexOf('.') + 1)];
  if (file.length > profileLimits.picture)
    throw invalid(sentence`Its picture ${name} has more than ${profileLimits.picture / 1000} kB.`);
  const size = kind?.size(file);
  if (kind === undefined || size === undefined)
    throw invalid(sentence`Its picture ${name} is not a picture of the kind that its name says.`);
  const { width, height } = size;
  if (Math.min(width, height) < 1 || Math.max(width, height) > profileLimits.pixels)
    throw invalid(
      sentence`Its picture ${name} has ${width} × ${height} pixels; ${profileLimits.pixels} × ${profileLimits.pixels} are allowed.`,
    );
  return `data:${kind.type};base64,${file.toString('base64')}`;
}

/** The first chunk is IHDR (PNG, section 5.6). */
function pngSize(file: Buffer): Size | undefined {
  const signature = '89504e470d0a1a0a0000000d49484452';
  if (file.length < 33 || file.toString('hex', 0, 16) !== signature) return undefined;
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

/** RFC 9649: the first chunk is VP8X, VP8L or VP8. */
function webpSize(file: Buffer): Size | undefined {
  if (file.length < 30 || file.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  switch (file.toString('latin1', 8, 16)) {
    case 'WEBPVP8X':
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    case 'WEBPVP8L': {
      if (file[20] !== 0x2f) return undefined;
      const bits = file.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'WEBPVP8 ':
      if (file.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** The frame header says the size (ITU T.81, section B.2.2). */
function jpegSize(file: Buffer): Size | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < file.length;) {
    const marker = file.readUInt16BE(at);
    if (marker >> 8 !== 0xff) return undefined;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    at += 2 + file.readUInt16BE(at + 2);
  }
  return undefined;
}
