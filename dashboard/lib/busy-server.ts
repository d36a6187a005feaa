import { createSignal } from './signal.ts'

/** While requests wait to be sent again: how many, and in how many seconds the next one goes. */
export const waitingRequests = createSignal<{ count: number; seconds: number }>({ count: 0, seconds: 0 })

/** Waits for as long as the server asked to, visibly. Rejects when the request is given up. */
export async function waitToRetry(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  change(1, seconds)
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, seconds * 1_000)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    })
  } finally {
    change(-1, 0)
  }
}

function change(by: number, seconds: number): void {
  const { count } = waitingRequests.get()
  waitingRequests.set({ count: count + by, seconds })
}
