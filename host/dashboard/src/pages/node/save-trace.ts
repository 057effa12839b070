import { ApiError, send } from '../../api/call.ts';
import { download } from '../../parts/download.ts';

/** Saves the trace of a node as a file. */
export async function saveTrace(node: string, form: 'text' | 'pcapng'): Promise<void> {
  const response = await send('GET', `api/v2/node/trace/${form}`, { query: { node } });
  if (!response.ok) {
    const { error = 0, message = response.statusText } = (await response.json()) as {
      error?: number;
      message?: string;
    };
    throw new ApiError(message, error, response.status);
  }
  download(`${node}.${form === 'text' ? 'txt' : form}`, await response.blob());
}
