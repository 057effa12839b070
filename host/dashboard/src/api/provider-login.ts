import type { BeginSignInReply, FinishSignInReply, SignInReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';
import { session } from './session.ts';

/** What this tab keeps of a sign-in that leads through the provider: the ticket, and where on the page it began. */
interface Kept {
  readonly ticket: string;
  readonly place: string;
}

interface Returned {
  readonly ticket: string;
  /** What the provider has added to the address. */
  readonly answer: string;
}

const storageKey = 'tagway.sign-in';
const returned = takeReturn();
let finishing: Promise<void> | undefined;

/** Back from the provider: the address becomes again what it was, of which no server has a say. */
function takeReturn(): Returned | undefined {
  const { search, pathname } = location;
  if (!new URLSearchParams(search).has('state')) return undefined;
  const { ticket, place } = kept();
  sessionStorage.removeItem(storageKey);
  history.replaceState(null, '', pathname + (place.startsWith('#') ? place : ''));
  return { ticket, answer: search };
}

function kept(): Kept {
  try {
    const { ticket, place } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Partial<Kept>;
    // The gateway says that a sign-in did not begin here.
    return { ticket: ticket ?? 'none', place: place ?? '' };
  } catch {
    return { ticket: 'none', place: '' };
  }
}

/** In which ways a user signs in beside those of the gateway itself. */
export const useSignInWays = (): UseQueryResult<SignInReply> =>
  useQuery({ queryKey: ['sign-in'], queryFn: () => call<SignInReply>('GET', 'api/v2/sign-in') });

export const hasReturned = (): boolean => returned !== undefined && session.get() === undefined;

/** Leaves the page for the provider. */
export async function beginAtProvider(): Promise<void> {
  const page = new URL('.', document.baseURI).href;
  const { url, ticket } = await call<BeginSignInReply>('POST', 'api/v2/sign-in/begin', { body: { page } });
  sessionStorage.setItem(storageKey, JSON.stringify({ ticket, place: location.hash } satisfies Kept));
  location.assign(url);
}

/** Begins the session of the user whom the provider has sent back, once. */
export function finishAtProvider(): Promise<void> {
  finishing ??= call<FinishSignInReply>('POST', 'api/v2/sign-in/finish', { body: returned }).then(
    ({ token, user, logout }) => session.begin({ token, user, ...(logout !== undefined && { logout }) }),
  );
  return finishing;
}
