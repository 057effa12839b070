import { readFile } from 'node:fs/promises';
import { nodesets } from 'node-opcua-nodesets';

/**
 * The nodes of the standard itself, as the image that the library makes of its XML: gzipped JSON, a node a line. The bundle has another
 * module in the place of this one, which reads the image beside the bundle.
 */
export function standardNodeset(): Promise<Uint8Array> {
  return readFile(nodesets.standard.replace(/\.xml$/, '.ndjson.gz'));
}
