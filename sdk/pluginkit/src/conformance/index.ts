import { type Library, readLibrary } from '../library.ts';
import { testApp } from './app.ts';
import type { AppConformance } from './app-fixture.ts';
import { testDriver } from './driver.ts';
import type { DriverConformance } from './driver-fixture.ts';
import { type InputsConformance, testInputs } from './inputs.ts';
import { recordOutcome } from './outcome.ts';

/** Milliseconds that one test of the suite may take: drivers wait for their deadlines and between attempts to connect. */
const timeout = 120_000;

/**
 * Registers the tests that every driver has to pass, with mocha: its files, its runs in this process and in a process
 * of its own, and its behaviour when its device is absent, dead, slow, silent or answers nonsense. `library` is the folder with plugin.json.
 */
export function driverConformance(library: URL, options: DriverConformance): void {
  register(library, (read) => testDriver(read, options));
}

/**
 * Registers the tests that every driver with inputs and without a device has to pass, with mocha: its files, and its runs in this process and
 * in a process of its own, with values, faults and nothing in its inputs. `library` is the folder with plugin.json.
 */
export function inputsConformance(library: URL, options: InputsConformance): void {
  register(library, (read) => testInputs(read, options));
}

/** Registers the tests that every app has to pass, with mocha. `library` is the folder with plugin.json. */
export function appConformance(library: URL, options: AppConformance): void {
  register(library, (read) => testApp(read, options));
}

function register(folder: URL, tests: (library: Library) => void): void {
  const library = readLibrary(folder);
  const { id } = library.manifest;
  describe(`conformance of ${id}`, function () {
    this.timeout(timeout);
    tests(library);
    recordOutcome(this, id);
  });
}
