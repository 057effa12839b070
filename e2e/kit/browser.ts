import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  chromium as engine,
  type Browser,
  type BrowserContext,
  type Page,
  type Request,
} from 'playwright-core';
import type { Client } from './client.ts';
import { lateBound } from './late-bound.ts';
import type { Gateway } from './gateway.ts';

/** What CHROMIUM names, or Debian's Chromium, without a window where there is one such: it takes a third less of the processor. */
const executable = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path !== '' && existsSync(path));

/** A suite in a browser; where there is none it is skipped and says so. */
export function describePage(title: string, suite: (this: Mocha.Suite) => void): void {
  if (executable === undefined) {
    describe.skip(`${title} (skipped: no Chromium)`, suite);
    return;
  }
  describe(title, suite);
}

/** What a spreadsheet puts on the clipboard arrives where the caret is. */
export const pasted = (text: string): string => `(() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', ${JSON.stringify(text)});
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(event);
})()`;

/** What the page must be usable at: a desk, and the narrowest phone. */
export const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 360, height: 740 } } as const;

const launchArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TabOptions {
  readonly size?: { readonly width: number; readonly height: number };
  readonly scheme?: 'light' | 'dark';
  /** As whom the tab is logged in from the start; absent: nobody. */
  readonly as?: { readonly token: string; readonly user: string };
  /** The page's language; English unless told. */
  readonly language?: 'en' | 'zh';
  /** A script that runs in every page before its own, such as one that takes something away that older browsers lack. */
  readonly before?: string;
}

/** The administrator of the gateway, as a tab may be logged in. */
export const asAdmin = ({ token = '' }: Client): { token: string; user: string } => ({
  token,
  user: 'admin',
});

// What runs in the page stands as text: the tests' own types know no document.

/** Fills the store of a new tab once: a logout stays one over a reload. */
const keep = (items: Readonly<Record<string, string>>): string => `
  if (sessionStorage.getItem('prepared') === null) {
    sessionStorage.setItem('prepared', 'yes');
    for (const [key, value] of Object.entries(${JSON.stringify(items)})) localStorage.setItem(key, value);
  }`;

const tellViolations = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error('securitypolicyviolation: ' + violatedDirective + ' ' + blockedURI));`;

const networkChanged = 'net::ERR_NETWORK_CHANGED';

function toleratesNetworkChange(error: unknown): void {
  if (!(error instanceof Error && error.message.includes(networkChanged))) throw error;
}

/** A browser that notes everything a page may not do: errors on the console, exceptions, breaches of its policy. */
export class Chromium {
  readonly #browser: Browser;
  readonly #faults: string[] = [];
  readonly #contexts: BrowserContext[] = [];
  /** What the tabs asked for and did not get, with the reason. */
  readonly #unanswered = new Map<Request, string>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<Chromium> {
    if (executable === undefined) throw new Error('There is no Chromium.');
    return new Chromium(await engine.launch({ executablePath: executable, args: launchArguments }));
  }

  /** A tab of a browser of its own, at a place of a gateway's page: `#/drivers`. */
  async open(gateway: Pick<Gateway, 'url'>, place = '', options: TabOptions = {}): Promise<Page> {
    const { size = sizes.desk, scheme = 'light', as, language = 'en', before = '' } = options;
    const context = await this.#browser.newContext({ viewport: size, colorScheme: scheme });
    this.#contexts.push(context);
    const kept: Record<string, string> = { 'tagway.language': language };
    if (as !== undefined) kept['tagway.session'] = JSON.stringify(as);
    await context.addInitScript({ content: `${keep(kept)}\n${tellViolations}\n${before}` });
    const page = await context.newPage();
    await this.#load(page, `${gateway.url}/${place}`);
    return page;
  }

  /** One more tab of the browser that a tab belongs to, at the same place. */
  async another(tab: Page): Promise<Page> {
    const page = await tab.context().newPage();
    await this.#load(page, tab.url());
    return page;
  }

  /** Chromium gives up what it is loading when an interface of the machine comes or goes, and tests of gateways' networks make some beside. */
  async #load(page: Page, url: string): Promise<void> {
    this.watch(page);
    const before = this.#faults.length;
    await page.goto(url).catch(toleratesNetworkChange);
    for (let again = 0; again < 5 && this.#forgetNetworkChanges(); again += 1) {
      // Of a load that the network ended, and of the browser's own page about it.
      this.#faults.length = before;
      // The browser's own page cannot always be reloaded, but left.
      await page.reload().catch(() => page.goto(url).catch(toleratesNetworkChange));
    }
  }

  /** Whether something was not loaded because the machine's network changed. */
  #forgetNetworkChanges(): boolean {
    const failed = [...this.#unanswered].filter(([, why]) => why === networkChanged);
    for (const [request] of failed) this.#unanswered.delete(request);
    return failed.length > 0;
  }

  /** Notes what goes wrong in a page. A refusal of the API is a reply like others, which the page has to show. */
  watch(page: Page): void {
    page.on('pageerror', (error) => this.#faults.push(`An exception: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
      this.#faults.push(`The console: ${message.text()}`);
    });
    page.on('request', (request) => this.#unanswered.set(request, 'no end yet'));
    page.on('requestfinished', (request) => this.#unanswered.delete(request));
    page.on('requestfailed', (request) => this.#unanswered.set(request, request.failure()?.errorText ?? ''));
  }

  /** What went wrong since the last call. */
  takeFaults(): string[] {
    return this.#faults.splice(0);
  }

  /** What stands in the open tabs and what they did not get, for whoever has to find out why a test failed. */
  async problems(): Promise<string[]> {
    const pages = this.#contexts.flatMap((context) => context.pages());
    const unanswered = [...this.#unanswered].map(
      ([request, why]) => `${request.method()} ${request.url()} got no answer: ${why}`,
    );
    const texts = pages.map(async (page) => {
      const text = await page
        .locator('body')
        .innerText({ timeout: 2000 })
        .catch((error: unknown) => `nothing that could be read: ${String(error)}`);
      return `${page.url()} shows:\n${text.slice(0, 2000)}`;
    });
    return [...unanswered, ...(await Promise.all(texts))];
  }

  /** Closes all tabs. */
  async clear(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    this.#unanswered.clear();
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }
}

/** To be called in a suite: a browser, which fails each test in which a page did what it may not. */
export function useChromium(): Chromium {
  let chromium: Chromium | undefined;
  before(async () => void (chromium = await Chromium.start()));
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error((await chromium?.problems())?.join('\n\n'));
    await chromium?.clear();
    const faults = chromium?.takeFaults() ?? [];
    if (faults.length > 0) throw new Error(`The page did what it may not.\n${faults.join('\n')}`);
  });
  after(() => chromium?.stop());
  return lateBound('browser', () => chromium);
}

const axePath = createRequire(import.meta.url).resolve('axe-core');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact?: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe-core finds on a page that keeps somebody from using it, one line for each element. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(readFileSync(axePath, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
}

/** By how many pixels the page is wider than its window. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
