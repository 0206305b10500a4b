//! Keys: cells and instances know each other by certificates of one authority, which is made with them.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use common::sync::Arc;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

/// The name in a cell's certificate. Which cell it is, its greeting says.
pub(crate) const CELL_NAME: &str = "cell.highwater";
const INSTANCE_NAME: &str = "instance.highwater";

const AUTHORITY: &str = "authority.pem";
const CELL: (&str, &str) = ("cell.pem", "cell.key");
const INSTANCE: (&str, &str) = ("instance.pem", "instance.key");

fn of_key(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Makes an authority and the certificates of cells and of instances, as files in a folder. The authority's own key is
/// not kept, so no more certificates can be made. Nothing is written over.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] when one of the files is there; errors of the file system.
pub fn make_keys(folder: &Path) -> io::Result<()> {
    let params = |name: &str| {
        let mut params = CertificateParams::new(vec![name.to_owned()]).map_err(of_key)?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(2120, 1, 1);
        Ok::<_, io::Error>(params)
    };
    let mut authority = params("authority.highwater")?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().map_err(of_key)?).map_err(of_key)?;
    let mut files = vec![(AUTHORITY, authority.pem())];
    for (name, usage, (certificate_file, key_file)) in [
        (CELL_NAME, ExtendedKeyUsagePurpose::ServerAuth, CELL),
        (INSTANCE_NAME, ExtendedKeyUsagePurpose::ClientAuth, INSTANCE),
    ] {
        let mut params = params(name)?;
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().map_err(of_key)?;
        let certificate = params.signed_by(&key, &authority).map_err(of_key)?;
        files.extend([(certificate_file, certificate.pem()), (key_file, key.serialize_pem())]);
    }
    fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        let text = format!("{} is there already", folder.join(name).display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    for (name, text) in files {
        let path = folder.join(name);
        let mode = if name.ends_with(".key") { 0o600 } else { 0o644 };
        let made = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let written = made.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| named(&path, &error))?;
    }
    Ok(())
}

/// The keys of a folder.
#[derive(Debug)]
pub struct Keys {
    authority: Arc<RootCertStore>,
    folder: std::path::PathBuf,
}

impl Keys {
    /// Reads the certificate of the authority; the others when they are needed.
    ///
    /// # Errors
    /// When it is not there, or no certificate.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let path = folder.join(AUTHORITY);
        let mut authority = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_file(&path).map_err(|error| of_pem(&path, error))?;
        authority.add(certificate).map_err(|error| named(&path, &of_key(error)))?;
        Ok(Self { authority: Arc::new(authority), folder: folder.to_owned() })
    }

    fn pair(
        &self,
        (certificate, key): (&str, &str),
    ) -> io::Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
        let (certificate, key) = (self.folder.join(certificate), self.folder.join(key));
        let chain = CertificateDer::from_pem_file(&certificate).map_err(|error| of_pem(&certificate, error))?;
        Ok((vec![chain], PrivateKeyDer::from_pem_file(&key).map_err(|error| of_pem(&key, error))?))
    }

    /// As a cell: instances must show a certificate.
    pub(crate) fn of_cell(&self) -> io::Result<Arc<ServerConfig>> {
        let provider = Arc::new(default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::clone(&self.authority), Arc::clone(&provider));
        let verifier = verifier.build().map_err(of_key)?;
        let (chain, key) = self.pair(CELL)?;
        let config = ServerConfig::builder_with_provider(provider).with_protocol_versions(&[&rustls::version::TLS13]);
        let config = config.map_err(of_key)?.with_client_cert_verifier(verifier);
        let mut config = config.with_single_cert(chain, key).map_err(of_key)?;
        // Every connection shows its certificate: there is no resumption by tickets.
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }

    /// As an instance: cells must show a certificate.
    pub(crate) fn of_instance(&self) -> io::Result<Arc<ClientConfig>> {
        let (chain, key) = self.pair(INSTANCE)?;
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_protocol_versions(&[&rustls::version::TLS13]).map_err(of_key)?;
        let config = config.with_root_certificates(Arc::clone(&self.authority));
        Ok(Arc::new(config.with_client_auth_cert(chain, key).map_err(of_key)?))
    }
}

fn of_pem(path: &Path, error: rustls::pki_types::pem::Error) -> io::Error {
    match error {
        rustls::pki_types::pem::Error::Io(error) => named(path, &error),
        error => named(path, &of_key(error)),
    }
}
