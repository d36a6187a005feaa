import { HeldBand } from './held-band.tsx'
import { MailStaysBand } from './mail-stays-band.tsx'

/** Everything about mail that holds on every page for now. */
export function Bands() {
  return (
    <>
      <HeldBand />
      <MailStaysBand />
    </>
  )
}
