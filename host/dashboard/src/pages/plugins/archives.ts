import { base64Of } from '../../parts/base64.ts';

/** What `POST /api/v2/plugin` takes. */
export interface ArchiveBody {
  readonly library: string;
  readonly file: string;
  readonly signature?: string;
}

export const isArchive = ({ name }: File): boolean => name.endsWith('.tgz');

/** An archive of some files that were dropped together, with its signature if `NAME.tgz.sig` is among them. */
export async function archiveOf(files: readonly File[], archive: File): Promise<ArchiveBody> {
  const signature = files.find(({ name }) => name === `${archive.name}.sig`);
  return {
    library: archive.name,
    file: await base64Of(archive),
    ...(signature !== undefined && { signature: (await signature.text()).trim() }),
  };
}
