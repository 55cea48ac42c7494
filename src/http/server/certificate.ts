import { createSecureContext, type SecureContext } from "node:tls";
import { MgrError, messageOf } from "../../base/errors.ts";
import { identityOf, readRegularFile } from "../auth/read-regular-file.ts";
import type { HttpLog } from "../log/http-log.ts";

export interface CertificateFiles {
  /** PEM with the certificate chain; absolute. */
  readonly certFile: string;
  /** PEM with the private key; null: it is in `certFile`. */
  readonly keyFile: string | null;
}

const MAX_BYTES = 1024 * 1024;

/**
 * The certificate for TLS handshakes. It is read again when a file changed; while the new files are not valid, the previous certificate is
 * used.
 */
export class Certificate {
  readonly #files: CertificateFiles;
  readonly #log: HttpLog;
  #identity: string | null;
  #content: string;
  #context: SecureContext;

  /** Throws MgrError `conflict` when the files cannot be used: a manager must not start without its configured HTTPS. */
  constructor(files: CertificateFiles, log: HttpLog) {
    this.#files = files;
    this.#log = log;
    this.#identity = identity(files);
    this.#content = read(files, log);
    this.#context = contextOf(files, this.#content);
  }

  /** The certificate for one handshake. */
  context(): SecureContext {
    const now = identity(this.#files);
    if (now !== null && now === this.#identity) return this.#context;
    this.#identity = now;
    try {
      const content = read(this.#files, this.#log);
      if (content !== this.#content) {
        // The content is kept even if it is not valid, so that it is reported once.
        this.#content = content;
        this.#context = contextOf(this.#files, content);
        this.#log("info", `HTTPS uses the new certificate of ${this.#files.certFile}`);
      }
    } catch (error) {
      this.#log("warning", `HTTPS keeps using the previous certificate: ${messageOf(error)}`);
    }
    return this.#context;
  }
}

function identity({ certFile, keyFile }: CertificateFiles): string | null {
  const cert = identityOf(certFile);
  const key = keyFile === null ? "" : identityOf(keyFile);
  return cert === null || key === null ? null : `${cert} ${key}`;
}

/** Certificate and key as one PEM text. */
function read({ certFile, keyFile }: CertificateFiles, log: HttpLog): string {
  const cert = readPem(certFile, "instance.webui_https_cert_file");
  if (keyFile === null) return cert.text;
  const key = readPem(keyFile, "instance.webui_https_key_file");
  if (key.isOpen) log("warning", `the private key ${keyFile} can be read by other users; run: chmod 600 ${keyFile}`);
  return `${key.text}\n${cert.text}`;
}

function readPem(path: string, setting: string): { text: string; isOpen: boolean } {
  const file = readRegularFile(path, MAX_BYTES, () => null);
  if (!file.ok) throw new MgrError("conflict", `${setting}: ${path} is ${file.problem.replaceAll("_", " ")} (${file.reason})`);
  return { text: file.content.toString("latin1"), isOpen: (file.stats.mode & 0o004n) !== 0n };
}

function contextOf({ certFile, keyFile }: CertificateFiles, pem: string): SecureContext {
  const place = keyFile === null ? certFile : `${certFile} with ${keyFile}`;
  if (!pem.includes("PRIVATE KEY-----")) {
    throw new MgrError(
      "conflict",
      `${place} contains no private key: add it to the file, or name its file in instance.webui_https_key_file`,
    );
  }
  try {
    return createSecureContext({ cert: pem, key: pem, minVersion: "TLSv1.2" });
  } catch (cause) {
    throw new MgrError(
      "conflict",
      `HTTPS cannot use ${place}: ${messageOf(cause)}. A PEM certificate chain and its unencrypted key are needed.`,
      {
        cause,
      },
    );
  }
}
