const MINUTE_MS = 60_000

/** Does work that counts minutes of the clock; what failed after it ran into the next one is done again. */
export async function inOneMinute(work: () => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / MINUTE_MS)
  for (;;) {
    const begun = minute()
    try {
      return await work()
    } catch (error) {
      if (minute() === begun) throw error
    }
  }
}
