import { waitingRequests } from '../lib/busy-server.ts'
import { useSignal } from '../lib/signal.ts'
import classes from './busy-server.module.css'

/** Says that the server asked for a moment, while requests wait to be sent again. */
export function BusyServer() {
  const { count, seconds } = useSignal(waitingRequests)
  return (
    <div className={classes.place} role="status">
      {count > 0 && (
        <span className={classes.words}>
          The server does not answer yet. Trying again in {Math.max(1, Math.round(seconds))} s
        </span>
      )}
    </div>
  )
}
