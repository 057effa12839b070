import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadNative } from './native.ts';

/** A port that the operating system knows. */
export interface PortInfo {
  /** Such as `/dev/ttyUSB0` or `COM3`. */
  readonly path: string;
  /** Who made the adapter, where that is known. */
  readonly manufacturer?: string;
  readonly serialNumber?: string;
}

/** The serial ports of this machine. Rejects with a fault when the native module does not work here. */
export async function listPorts(): Promise<PortInfo[]> {
  const { autoDetect } = await loadNative();
  try {
    const ports = await autoDetect().list();
    return ports.map(({ path, manufacturer, serialNumber }) => ({
      path,
      ...(manufacturer !== undefined && { manufacturer }),
      ...(serialNumber !== undefined && { serialNumber }),
    }));
  } catch (error) {
    // The module asks udev, which small systems and containers do not have.
    if (process.platform === 'linux' && (error as NodeJS.ErrnoException).code === 'ENOENT')
      return listKernelPorts();
    throw error;
  }
}

const terminals = '/sys/class/tty';

/** The terminals behind which the kernel knows a device. */
async function listKernelPorts(): Promise<PortInfo[]> {
  const names = await readdir(terminals).catch((): string[] => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const parts: string[] = await readdir(join(terminals, name, 'device')).catch(() => []);
      return parts.includes('driver') ? [{ path: join('/dev', name) }] : [];
    }),
  );
  return found.flat();
}
