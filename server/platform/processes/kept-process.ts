import type { Message } from './keep-process.ts'

/** The other end of `keepProcess`, in the process that is kept. */
export type Keeper = {
  /** The first message. */
  task: Promise<Message>
  /** Resolves when the keeper asks this process to end, or somebody else does by SIGTERM. */
  asksToStop: Promise<void>
  tell<M extends Message>(message: M): Promise<void>
  /** Answers each question of the type. */
  answer(type: string, with_: () => Promise<Message>): void
  /** Lets the process end. */
  leave(): void
}

/**
 * The keeper of a process; undefined for one that nobody keeps. Without its keeper the process ends at once:
 * another one may be started in its place any moment. Ctrl-C reaches it from the terminal and is the keeper's to hear.
 */
export function keeperOf(self: NodeJS.Process): Keeper | undefined {
  if (self.send === undefined) return undefined
  const task = Promise.withResolvers<Message>()
  const stop = Promise.withResolvers<void>()
  const answers = new Map<string, () => Promise<Message>>()
  const tell = (message: Message) => new Promise<void>((resolve) => self.send!(message, undefined, {}, () => resolve()))
  let hasTask = false
  let isLeaving = false
  self.on('message', (message: Message) => {
    if (!hasTask) {
      hasTask = true
      task.resolve(message)
    } else if (message.type === 'stop') stop.resolve()
    else void answers.get(message.type)?.().then(tell)
  })
  self.on('disconnect', () => {
    if (!isLeaving) self.exit(1)
  })
  self.on('SIGTERM', () => stop.resolve())
  self.on('SIGINT', () => undefined)
  return {
    task: task.promise,
    asksToStop: stop.promise,
    tell,
    answer: (type, with_) => answers.set(type, with_),
    leave() {
      isLeaving = true
      if (self.connected) self.disconnect()
    },
  }
}
