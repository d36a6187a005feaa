export const FRAME = '/app/frame'

/** Of the empty page alone: where a link has led the frame elsewhere, nothing is written or read. */
export function documentOf(frame: HTMLIFrameElement | null): Document | null {
  const inner = frame?.contentDocument ?? null
  return inner?.location.pathname === FRAME ? inner : null
}
