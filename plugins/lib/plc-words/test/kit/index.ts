/** What the simulators of PLCs with 16-bit words share. */
export { addressRests, codedWords, codedWrites, writtenWords } from './coded-words.ts';
export { conformancePoints, conformanceWords } from './conformance.ts';
export { testsOfFraming } from './link-cases.ts';
export { serve } from './serve.ts';
export { SimulatedMemory } from './simulated-memory.ts';
