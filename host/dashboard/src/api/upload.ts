import { inLanguage } from '../texts/refusals.ts';
import { ApiError, addressOf, unanswered } from './call.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

interface Reply {
  readonly error?: number;
  readonly message?: string;
}

/** Sends a large JSON body and reports the part that is sent, from 0 to 1. Throws an `ApiError` when it is refused. */
export function upload(
  method: 'POST' | 'PUT',
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
  onProgress: (part: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (reachability.isLost()) return reject(unanswered('unsent'));
    // fetch does not report the progress of an upload.
    const request = new XMLHttpRequest();
    request.open(method, addressOf(path));
    request.responseType = 'json';
    request.setRequestHeader('Content-Type', 'application/json');
    request.setRequestHeader('Accept-Language', document.documentElement.lang);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const token = session.get()?.token;
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onerror = () => reject(unanswered('unknown'));
    request.onload = () => {
      const { error = 0, message } = inLanguage((request.response ?? {}) as object) as Reply;
      if (request.status === 200 && error === 0) return resolve();
      reject(new ApiError(message ?? `${request.status} ${request.statusText}`, error, request.status));
    };
    request.send(JSON.stringify(body));
  });
}
