import { setNonce } from 'get-nonce'

/** The nonce of this page's policy, for what makes style elements: the kit, and the scroll lock below its dialogs. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
setNonce(NONCE)
