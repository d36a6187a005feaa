import { useState } from 'react'
import { IconButton } from './controls.tsx'
import { CopyButton } from './copyable.tsx'
import { EyeIcon, EyeOffIcon } from './rare-icons.tsx'

const MASK = '••••••••••••••••'

/** A secret: masked until somebody asks for it, copied without being shown. */
export function SecretText({ text, what }: { text: string; what: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <span className="copyable">
      <code>{isShown ? text : MASK}</code>
      <IconButton
        label={isShown ? `Hide ${what}` : `Show ${what}`}
        icon={isShown ? EyeOffIcon : EyeIcon}
        onClick={() => setShown(!isShown)}
      />
      <CopyButton text={text} what={what} />
    </span>
  )
}
