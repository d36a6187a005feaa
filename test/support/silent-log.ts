/** A logger for tests that look at what happens, not at what is said about it. */
export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined }
