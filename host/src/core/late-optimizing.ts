/**
 * Flags of V8 for the host and for runners: functions are compiled anew for speed after two and a half times as many calls as otherwise,
 * loops as early as ever. What runs some hundred times while a process starts costs more to compile than it saves, and the compilers
 * themselves are 7 MB of resident memory.
 */
export const lateOptimizing = ['--invocation-count-for-maglev=1000', '--invocation-count-for-turbofan=7500'];
