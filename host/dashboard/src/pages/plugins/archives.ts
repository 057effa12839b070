import { base64Of } from '../../parts/base64.ts';

/** The body of `POST /api/v2/plugin`. */
export interface ArchiveBody {
  readonly library: string;
  readonly file: string;
  readonly signature?: string;
}

export const isArchive = ({ name }: File): boolean => name.endsWith('.tgz');

/** The body for an archive, with its signature if `NAME.tgz.sig` is among the files that were dropped with it. */
export async function archiveOf(files: readonly File[], archive: File): Promise<ArchiveBody> {
  const signature = files.find(({ name }) => name === `${archive.name}.sig`);
  return {
    library: archive.name,
    file: await base64Of(archive),
    ...(signature !== undefined && { signature: (await signature.text()).trim() }),
  };
}
