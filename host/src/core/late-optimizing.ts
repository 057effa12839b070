/**
 * Flags of V8 for the host and for runners: functions are compiled anew for speed after ten times as many calls as otherwise. Loops, which
 * is where values are, are so as early as ever. What runs some hundred times while a process starts costs more to compile than it
 * saves, the compilers themselves are 7 MB of resident memory, and a gateway with few samples a second would compile for minutes.
 */
export const lateOptimizing = ['--invocation-count-for-maglev=4000', '--invocation-count-for-turbofan=30000'];
