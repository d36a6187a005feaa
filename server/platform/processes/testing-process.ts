/* Run by keep-process.test.ts: says that it is ready, and ends when it is told to. */
process.on('message', ({ type }: { type: string }) => {
  if (type === 'task') process.send?.({ type: 'ready' })
  if (type === 'stop') process.exit(0)
})
