/**
 * The self-signed certificate of the fake APNs, for localhost, from 2020 to 2120. It is public and protects nothing.
 * Made by openssl, since Node cannot issue certificates.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBZjCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlGYWtlIEFQ
TnMwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CUZha2UgQVBOczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJIDNZKW1IueJqQ0
6WXOdwM/JxginNzqqFbcC8a1Wi6hXhJxa0s8l0mfeF1HAan52pqSreUQGsUyBly4
KwAffimjTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBSXnpZ7rAfFLn3tqKYxqdUPYVfhrDAKBggqhkjOPQQD
AgNHADBEAiB4jShUBwrLcWpUfHMxHcYVpdpfIF9qGsReMVS1nCNZIQIgSpGs9uWT
ThSdGtaZLofxiv3zneSlNh9Xse3+v136THg=
-----END CERTIFICATE-----
`;

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+2bzF1lIncHqttkO
++v/0TL63IqJSA1syp/kCkYhiC+hRANCAASSAzWSltSLniakNOllzncDPycYIpzc
6qhW3AvGtVouoV4ScWtLPJdJn3hdRwGp+dqakq3lEBrFMgZcuCsAH34p
-----END PRIVATE KEY-----
`;
