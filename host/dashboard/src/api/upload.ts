import { ApiError, addressOf, unanswered } from './call.ts';
import { reach } from './reach.ts';
import { session } from './session.ts';

interface Answer {
  readonly error?: number;
  readonly message?: string;
}

/** Sends a JSON body that is large, and tells how much of it has gone, from 0 to 1. Throws an `ApiError` when it is refused. */
export function upload(
  method: 'POST' | 'PUT',
  path: string,
  body: object,
  onProgress: (part: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (reach.isLost()) return reject(unanswered('unsent'));
    // fetch does not tell how far it has come.
    const request = new XMLHttpRequest();
    request.open(method, addressOf(path));
    request.responseType = 'json';
    request.setRequestHeader('Content-Type', 'application/json');
    const token = session.get()?.token;
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onerror = () => reject(unanswered('unknown'));
    request.onload = () => {
      const { error = 0, message } = (request.response ?? {}) as Answer;
      if (request.status === 200 && error === 0) return resolve();
      reject(new ApiError(message ?? `${request.status} ${request.statusText}`, error, request.status));
    };
    request.send(JSON.stringify(body));
  });
}
