/** What the simulators of PLCs with 16-bit words share. */
export { serve } from './serve.ts';
export { SimulatedMemory } from './simulated-memory.ts';
