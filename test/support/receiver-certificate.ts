/**
 * A self-signed certificate (P-256) for `receiver.example` and its key, for receivers of tests that speak TLS: Node
 * cannot make one. Valid from 2020 to 2120, trusted by nobody but the client a test tells to.
 */
export const RECEIVER_CERTIFICATE = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBdjCCARygAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBByZWNlaXZl
ci5leGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBByZWNlaXZlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEZyj3OiR+awGwnGpeowselTDC5n4z63mh2teWDeNJtz5OYUklrEMR2wu+7rbu
ICQ2irK7vqgRzT82FBTWPtCggaNPME0wGwYDVR0RBBQwEoIQcmVjZWl2ZXIuZXhh
bXBsZTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBT/ZSMHDmrlgBSFMIkCpdGE
TscsMjAKBggqhkjOPQQDAgNIADBFAiEAx+tUAGReQLS1XaOmbnbwst1i7O19dH0+
LWrgtsbMKasCIAL0iTv4w/J/HSuu5GXk7sepq39d5Qpe9IVmb4Lf27ml
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdvz7XjfHTEvP7XBd
5N9Gi6nxeEEL0dBfCHRwX0C83oChRANCAARnKPc6JH5rAbCcal6jCx6VMMLmfjPr
eaHa15YN40m3Pk5hSSWsQxHbC77utu4gJDaKsru+qBHNPzYUFNY+0KCB
-----END PRIVATE KEY-----
`,
}
