import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** A self-signed certificate for localhost and 127.0.0.1, made by the system's openssl. `name` is its common name. */
export function makeCertificate(folder: string, name: string): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", ...curve, "-keyout", keyFile, "-out", certFile, "-days", "2", ...subject], { stdio: "ignore" });
  return { certFile, keyFile };
}
